import { expect, test } from "vitest";
import { Messages, type Model } from "./messages.svelte";

/** A model whose messages are kept, and the function that delivers those of a kernel. */
function modelOf() {
  const sent: { id?: string; stop?: boolean; url?: string }[] = [];
  let receive: (message: object, buffers?: DataView[]) => void = () => undefined;
  const model = {
    send: (content: object) => void sent.push(content),
    on: (_: string, handler: typeof receive) => (receive = handler),
  } as unknown as Model;
  const requests = () => sent.filter((message) => message.url);
  const deliver = (message: object, text?: string) => {
    const id = requests().at(-1)!.id;
    receive({ id, ...message }, text === undefined ? undefined : [new DataView(new TextEncoder().encode(text).buffer)]);
  };
  return { model, sent, requests, deliver };
}

test("a response is the parts of its body in order", async () => {
  const { model, requests, deliver } = modelOf();
  const response = new Messages(model).fetch("/api/words/pca");
  await expect.poll(() => requests().length).toBe(1);
  deliver({ status: 404 });
  deliver({ more: true }, "no such ");
  deliver({ more: true }, "page");
  deliver({ more: false });
  expect((await response).status).toBe(404);
  expect(await (await response).text()).toBe("no such page");
});

test("a request that is no longer needed is stopped", async () => {
  const { model, sent, requests } = modelOf();
  const controller = new AbortController();
  const response = new Messages(model).fetch("/api/words/pca", { signal: controller.signal });
  await expect.poll(() => requests().length).toBe(1);
  controller.abort();
  await expect(response).rejects.toThrow("abort");
  expect(sent.at(-1)).toEqual({ id: requests()[0]!.id, stop: true });
});

test("events are read from parts that end anywhere, and an early end is an error", async () => {
  const { model, requests, deliver } = modelOf();
  const events = new Messages(model).events("/api/jobs/1/events");
  const heard: string[] = [];
  events.addEventListener("frame", (event) => heard.push((event as MessageEvent<string>).data));
  events.onerror = () => heard.push("error");
  await expect.poll(() => requests().length).toBe(1);
  deliver({ status: 200 });
  deliver({ more: true }, 'id: 1\nevent: frame\ndata: {"frame": 1}\n\nid: 2\nevent: fra');
  deliver({ more: true }, 'me\ndata: {"frame": 2}\n\n');
  deliver({ more: false });
  await expect.poll(() => heard).toEqual(['{"frame": 1}', '{"frame": 2}', "error"]);
});
