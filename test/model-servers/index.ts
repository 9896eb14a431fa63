/**
 * Scripted model servers on loopback, for tests that start real agents: one server speaks Anthropic
 * Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, by path.
 *
 * Promises: stateless (what is answered depends on only the request and the script); every request is
 * kept and can be read; a conversation that breaks the rules of the real service is refused with 400.
 * Does not know: any agent's command line or files. From a shell: `node test/model-servers/main.ts`.
 */

export { asObject, asObjects, asText, type JsonObject } from "./json.ts";
export { type Script, type ScriptedTurn, type Step, text, thinking, tool } from "./script.ts";
export { type ModelServer, type RequestRecord, startModelServer } from "./server.ts";
