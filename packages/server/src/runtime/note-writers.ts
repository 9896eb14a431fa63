/** The note writers of a program, whose failures reach the people of a session with the words for readers. */

import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import type { LiveSettings } from "../server/index.ts";
import { failureOf } from "./failure-text.ts";
import type { Continuo } from "./types.ts";

type NoteWriter = NonNullable<LiveSettings["noteWriters"]>[number];

/** A failure is reported with the words of the provider, and thrown with those of `failureText`. */
export function writerForReaders(
  writer: NoteWriter,
  { failureText }: Pick<Continuo, "failureText">,
  report: (error: unknown) => void,
): NoteWriter {
  const guarded = <Request, Options extends { readonly signal: AbortSignal }, Result>(
    call: (request: Request, options: Options) => Promise<Result>,
  ): ((request: Request, options: Options) => Promise<Result>) => {
    return async (request, options) => {
      try {
        return await call(request, options);
      } catch (error) {
        if (options.signal.aborted) throw error;
        report(error);
        const code = isContinuoError(error) ? error.code : "agent_failed";
        throw new ContinuoError(code, failureText({ ...failureOf(error), code }), { cause: error });
      }
    };
  };
  const { writePage, answer } = writer;
  return {
    name: writer.name,
    write: guarded(writer.write.bind(writer)),
    ...present({
      isFree: writer.isFree,
      hasOpen: writer.hasOpen?.bind(writer),
      writePage: writePage && guarded(writePage.bind(writer)),
      answer: answer && guarded(answer.bind(writer)),
      end: writer.end?.bind(writer),
    }),
  };
}
