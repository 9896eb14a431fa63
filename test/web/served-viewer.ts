/** A server of the viewer as a separate process, which a test may kill and start again on the same port. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cleanEnv } from "../cli/home.ts";
import { bundledProgram, compiledCode } from "../sizes/shared-programs.ts";

export interface ViewerProcess extends AsyncDisposable {
  readonly url: string;
  readonly code: string;
  /** Kills the process, so that it cannot notify anybody. */
  kill(): Promise<void>;
}

/** @param pages the folder of the built page */
export async function serveViewer(
  home: { readonly path: string },
  pages: string,
  port = "0",
): Promise<ViewerProcess> {
  const script = await bundledProgram("test/web/viewer-process.ts");
  const child: ChildProcess = spawn(process.execPath, [script, home.path, pages, port], {
    env: { ...cleanEnv(home.path), ...compiledCode() },
    // The process ends when its standard input ends, so that it never runs longer than the test.
    stdio: ["pipe", "pipe", "inherit"],
  });
  const kill = async (): Promise<void> => {
    const gone = child.exitCode !== null || child.signalCode !== null ? null : once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const [line] = await once(child.stdout as NodeJS.ReadableStream, "data");
  const { url, code } = JSON.parse(String(line)) as { readonly url: string; readonly code: string };
  return { url, code, kill, [Symbol.asyncDispose]: kill };
}
