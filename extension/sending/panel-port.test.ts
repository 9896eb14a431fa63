/** The connection to a side panel, over a port that has only what every browser has. */

import { expect, test } from "vitest";
import { answerPort } from "./panel-port.ts";

interface Ask {
  readonly ask: string;
}

test("a request is answered over the port, but not after the panel was closed", async () => {
  const sent: unknown[] = [];
  let receive: (message: Ask) => void = () => undefined;
  let close: () => void = () => undefined;
  const source = {
    view: (notes: number) => notes,
    watch: () => () => undefined,
    openPanel: () => ({ [Symbol.dispose]: () => undefined }),
    answer: async ({ ask }: Ask) => ({ answer: ask }),
  };
  answerPort(source, {
    postMessage: (message) => void sent.push(message),
    onMessage: {
      addListener: (listener) => {
        receive = listener;
      },
    },
    onDisconnect: {
      addListener: (listener) => {
        close = listener;
      },
    },
  });
  receive({ ask: "one" });
  await expect.poll(() => sent).toEqual([{ view: 50 }, { answer: "one" }]);
  receive({ ask: "two" });
  close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sent).toHaveLength(2);
});
