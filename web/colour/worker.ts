/** Colours code off the main thread. */

import type { ColourAnswer, ColourRequest } from "./tokens.ts";
import { wordsOf } from "./words-of.ts";

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<ColourRequest>) => void;
  postMessage(answer: ColourAnswer): void;
};

scope.onmessage = ({ data: { id, ...request } }) => scope.postMessage({ id, painted: wordsOf(request) });
