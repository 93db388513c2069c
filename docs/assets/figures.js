// Shows live figures where a workbench serves the documentation (see workbench.js), and turns its addresses into links. Elsewhere
// a figure is a sentence. The messages between a page and its frames are those of packages/rowspace-lab/web/src/embedded.
const documentation = new URL("..", document.currentScript.src);
const frames = new Map();

const urlOf = (address) => new URL(globalThis.workbench + address, documentation).href;

function showFigure(figure) {
  const { address } = figure.dataset;
  const frame = document.createElement("iframe");
  frame.loading = "lazy";
  frame.title = figure.textContent.split("In the workbench:")[0].trim();
  frame.src = urlOf(`${address}${address.includes("?") ? "&" : "?"}embed=${theme()}`);
  frame.addEventListener("load", () => tellTheme(frame));
  figure.querySelector(".place").hidden = true; // the frame has the link
  figure.prepend(frame);
  frames.set(frame.contentWindow, frame);
}

function link(code) {
  const anchor = document.createElement("a");
  anchor.href = urlOf(code.textContent);
  code.replaceWith(anchor);
  anchor.append(code);
}

const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");
const tellTheme = (frame) => frame.contentWindow.postMessage({ figureTheme: theme() }, location.origin);

function onMessage({ origin, source, data }) {
  const frame = frames.get(source);
  if (frame && origin === location.origin && data?.figureHeight > 0) frame.style.height = `${data.figureHeight}px`;
}

if (globalThis.workbench) {
  addEventListener("message", onMessage);
  document.querySelectorAll("figure.workbench").forEach(showFigure);
  document.querySelectorAll("code.workbench").forEach(link);
  const observer = new MutationObserver(() => frames.forEach(tellTheme));
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
}
