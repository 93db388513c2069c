// The widget of a notebook: `render`, which anywidget calls for a cell that shows it. Its styles are in a shadow root. This
// module is evaluated for each of these cells, so that their states are apart.

import { mount, unmount } from "svelte";
import { setTransport } from "../api/transport";
import styles from "../app.css?inline";
import { setStyledElement } from "../host";
import { theme } from "../state/theme.svelte";
import { Messages, type Model } from "./messages.svelte";
import Notebook from "./Notebook.svelte";
import own from "./notebook.css?inline";
import { followTheme } from "./theme";

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const messages = new Messages(model);
  setTransport(messages);
  const host = el.appendChild(document.createElement("div"));
  keepKeys(host);
  const root = host.attachShadow({ mode: "open" });
  const style = root.appendChild(document.createElement("style"));
  style.textContent = `:host { all: initial }\n${styles}\n${own}`; // nothing is inherited from the notebook
  const target = root.appendChild(document.createElement("div"));
  setStyledElement(target);
  const stop = followTheme(el, (dark) => {
    host.dataset.theme = dark ? "dark" : "light";
    theme.follow(dark);
  });
  const app = mount(Notebook, { target, props: { model, messages } });
  return () => {
    stop();
    void unmount(app);
    messages.close();
    host.remove();
  };
}

/** Keep the notebook from taking typed letters for its shortcuts, since it does not see the fields in the shadow root. */
function keepKeys(host: HTMLElement): void {
  host.dataset.lmSuppressShortcuts = "true";
  for (const type of ["keydown", "keypress", "keyup"]) host.addEventListener(type, (event) => event.stopPropagation());
}

export default { render };
