// The page's fonts, for a file that is opened elsewhere.

const loaded = new Map<string, Promise<string>>();

/** The @font-face rules of the bundled fonts that an SVG uses, with their files inside. */
export async function facesFor(markup: string): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const faces = rules.filter((rule) => rule instanceof CSSFontFaceRule).filter(({ style }) => isUsed(style, markup));
  return (await Promise.all(faces.map(inlined))).join("");
}

function isUsed(face: CSSStyleDeclaration, markup: string): boolean {
  const family = face.getPropertyValue("font-family").replaceAll('"', "");
  const italic = face.getPropertyValue("font-style") === "italic";
  return markup.includes(family) && (!italic || markup.includes('font-style="italic"'));
}

async function inlined(rule: CSSFontFaceRule): Promise<string> {
  const source = rule.style.getPropertyValue("src");
  const file = /url\("?([^")]+)"?\)/.exec(source)?.[1];
  if (!file) return "";
  const address = new URL(file, rule.parentStyleSheet?.href ?? document.baseURI).href;
  const data = loaded.get(address) ?? dataOf(address);
  loaded.set(address, data);
  return rule.cssText.replace(/src: [^;]+;/, `src: url("${await data}") format("woff2");`);
}

async function dataOf(address: string): Promise<string> {
  const file = await (await fetch(address)).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error("a font of the page cannot be read"));
    reader.readAsDataURL(file);
  });
}
