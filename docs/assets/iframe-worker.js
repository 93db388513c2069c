// Browsers start no worker for a page that was opened as a file. The search is a worker, so it runs in a hidden frame there.
class FrameWorker extends EventTarget {
  #scope;
  #waiting = [];

  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.#scope = frame.contentWindow;
    const inside = frame.contentDocument;
    inside.open();
    inside.write("<!doctype html><body>");
    inside.close();
    this.#scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    const script = inside.createElement("script");
    script.src = new URL(url, location);
    script.onload = () => this.#begin();
    inside.body.append(script);
  }

  postMessage(data) {
    if (this.#waiting) this.#waiting.push(data);
    else this.#scope.dispatchEvent(new MessageEvent("message", { data }));
  }

  #begin() {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting.forEach((data) => this.postMessage(data));
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;
