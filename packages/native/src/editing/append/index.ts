/**
 * Appends messages to a native session: decides who may write, when, and in which order.
 *
 * Promises: no file is opened before the first call; an acknowledged message is on disk and was read back; a failed
 * write leaves the session unchanged; the next writer undoes incomplete writes of killed processes; two writers never
 * separate a call from its result.
 * Does not know: any format. Each agent implements `NativeWriter`.
 */

export {
  type AdapterFormat,
  createAdapter,
  type ImageInput,
  type SessionAdapter,
  type SessionMetadata,
} from "./adapter.ts";
