/** For a caller who remembers nothing. */

import type { SkimMemo } from "./port.ts";

export const NO_MEMO: SkimMemo = { remember: (_file, _what, compute) => compute() };
