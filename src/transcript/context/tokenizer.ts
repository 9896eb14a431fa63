/** Tokenizers of other packages as ours: none of them is loaded here. */

import type { Tokenizer } from "./cost.ts";

/** What a tokenizer's module offers, for example `await import("gpt-tokenizer")`. */
export interface TokenizerModule {
  readonly countTokens?: (text: string) => number;
  readonly encode?: (text: string) => { readonly length: number };
}

/** Counts with `countTokens` where there is one, else by encoding. */
export function toTokenizer({ countTokens, encode }: TokenizerModule): Tokenizer {
  if (countTokens !== undefined) return (text) => (text === "" ? 0 : countTokens(text));
  return (text) => (text === "" ? 0 : (encode?.(text).length ?? text.length));
}
