/** The limits of the MCP server. */

export const MCP_LIMITS = {
  /** Tokens of an answer where the caller asks for nothing else, estimated. */
  answerTokens: 1_000,
  /** Tokens of a digest. */
  digestTokens: 2_000,
  /** The most tokens that a caller may ask for; agents cut longer answers themselves. */
  maxTokens: 20_000,
  /** Milliseconds after which a search answers with what it found: clients wait for a minute. */
  searchMs: 45_000,
  /** Bytes of the body of a request over HTTP. */
  bodyBytes: 1_048_576,
  /** Streams that wait for changes of the tools, which never come. */
  subscriptions: 16,
  /** Sessions that a search shows where the caller asks for nothing else. */
  searchResults: 5,
  maxResults: 50,
  /** The greatest number of characters that a caller may ask for. */
  queryChars: 2_000,
  nameChars: 2_000,
  questionChars: 8_000,
  /** Seconds for which an agent waits for the answer of another one. */
  askSeconds: 45,
  /** Elements of the arguments of a call. */
  inputElements: 100,
} as const;
