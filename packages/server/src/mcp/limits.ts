/** The limits of the MCP server. */

export const MCP_LIMITS = {
  /** Estimated tokens of an answer if the caller requests no other size. */
  answerTokens: 1_000,
  /** Tokens of a digest. */
  digestTokens: 2_000,
  /** The most tokens that a caller may request; agents cut longer answers themselves. */
  maxTokens: 20_000,
  /** The milliseconds after which a search returns what it found until then. Clients wait only for a minute. */
  searchMs: 45_000,
  /** Bytes of the body of a request over HTTP. */
  bodyBytes: 1_048_576,
  /** Streams that may wait for changes of the tools. There are never such changes. */
  subscriptions: 16,
  /** Sessions that a search shows if the caller requests no other number. */
  searchResults: 5,
  maxResults: 50,
  /** The greatest number of characters that a caller may request. */
  queryChars: 2_000,
  nameChars: 2_000,
  questionChars: 8_000,
  /** Seconds for which an agent waits for the answer of another agent. */
  askSeconds: 45,
  /** Elements of the arguments of a call. */
  inputElements: 100,
} as const;
