/** The state of each file on both machines, and the requests that send what is missing. */

import { hostname } from "node:os";
import { type AgentName, ContinuoError } from "@continuo/core/model";
import { type FoundFile, type Places, readAt, statFile } from "@continuo/files";
import { lineAs, type MoveConnection } from "../moving/index.ts";
import {
  endOfLines,
  isLog,
  type MirroredFile,
  onlyGrew,
  pathThere,
  type SentLog,
  sentLog,
  startsWith,
  withFile,
} from "./files.ts";
import { ALIVE_MS, BATCH_BYTES, SETTLED_MS } from "./limits.ts";
import {
  type Answer,
  answer,
  type Hello,
  type KeepReply,
  type RemoteTakeOver,
  type Request,
} from "./lines.ts";
import { type PackedTree, sendTree } from "./tree-sender.ts";

export interface MirrorState {
  /** The reason why the other machine cannot be reached now; `null` if it can. */
  readonly disconnected: ContinuoError | null;
  /** Bytes that are stored on the disk of the other machine. */
  readonly mirroredBytes: number;
  /** Bytes that were written here but not acknowledged by the other machine. */
  readonly waitingBytes: number;
  /** The time at which the first of these bytes was found; `null` if there are none. */
  readonly waitingSince: Date | null;
}

export function toHello(
  {
    agent,
    sessionId,
    location,
  }: { readonly agent: AgentName; readonly sessionId: string; readonly location: string },
  { cwd, places }: { readonly cwd: string | null; readonly places: Places },
): Hello {
  return {
    mirror: 1,
    agent,
    sessionId,
    main: pathThere(location),
    machine: hostname(),
    home: places.home,
    folder: cwd,
  };
}

interface FileProgress {
  /** The file as it was when all of it was acknowledged; `null` while something is missing. */
  seen: FoundFile | null;
  acknowledgedBytes: number;
  sizeBytes: number;
  log: SentLog | null;
}

interface Link extends Pick<MoveConnection, "channel" | "broken"> {
  readonly host: string;
}

class TakeOverError extends Error {
  readonly there: RemoteTakeOver;
  constructor(there: RemoteTakeOver) {
    super("the session was taken over");
    this.there = there;
  }
}

/** Sends the files of one session, over one connection after the other. */
export class MirrorSender {
  readonly #files = new Map<string, FileProgress>();
  /** Files that were compared since the connection began. */
  readonly #met = new Set<string>();
  #link: Link | null = null;
  #parts: ReturnType<typeof sendTree> | null = null;
  #heardMs = 0;
  #waitingSince: Date | null = null;
  #hasProgress = false;

  /**
   * Greets the other machine. If the session was taken over there, returns its new name. Errors: those of the
   * connection.
   */
  async connect(
    { channel, broken }: Pick<MoveConnection, "channel" | "broken">,
    { host, hello }: { readonly host: string; readonly hello: Hello },
  ): Promise<RemoteTakeOver | null> {
    // Everything there is compared by its hash, including what was acknowledged before.
    this.#met.clear();
    this.#parts = null;
    this.#link = { channel, broken, host };
    return await untilTakenOver(async () => {
      if (!("mirroring" in (await this.#ask(hello)))) throw otherLine();
    });
  }

  /**
   * Sends the new bytes of the files. Calls `onBatch` whenever the number of acknowledged bytes may have changed.
   * Errors: those of the connection.
   */
  async send(files: readonly MirroredFile[], onBatch: () => void): Promise<RemoteTakeOver | null> {
    return await untilTakenOver(async () => {
      for (const one of files) await this.#sendOne(one, onBatch);
      this.#count();
      if (performance.now() - this.#heardMs > ALIVE_MS) await this.#ask({ alive: 1 });
    });
  }

  /** Sends the next part of a work tree. Errors: those of the connection. */
  async sendTreePart(
    tree: PackedTree,
  ): Promise<{ readonly isThere: boolean; readonly takenOver: RemoteTakeOver | null }> {
    let isThere = false;
    const takenOver = await untilTakenOver(async () => {
      this.#parts ??= sendTree(tree, (wish, bytes) => this.#ask(wish, bytes));
      isThere = (await this.#parts.next()).done === true;
    });
    if (isThere || takenOver !== null) this.#parts = null;
    return { isThere, takenOver };
  }

  /** Measures how much is new, without a connection. */
  measure(files: readonly MirroredFile[]): void {
    for (const { path, there } of files) {
      const known = this.#files.get(path) ?? { seen: null, acknowledgedBytes: 0, sizeBytes: 0, log: null };
      this.#files.set(path, known);
      const file = statFile(path);
      if (file === null) continue;
      known.sizeBytes = file.sizeBytes;
      if (!isLog(there) && known.seen !== null && !isUnchanged(file, known.seen)) known.acknowledgedBytes = 0;
    }
    this.#count();
  }

  state(disconnected: ContinuoError | null): MirrorState {
    let [mirroredBytes, waitingBytes] = [0, 0];
    for (const { acknowledgedBytes, sizeBytes } of this.#files.values()) {
      mirroredBytes += acknowledgedBytes;
      waitingBytes += Math.max(0, sizeBytes - acknowledgedBytes);
    }
    return { disconnected, mirroredBytes, waitingBytes, waitingSince: this.#waitingSince };
  }

  /** True if anything was acknowledged since the last call. */
  takeProgress(): boolean {
    const had = this.#hasProgress;
    this.#hasProgress = false;
    return had;
  }

  async #ask(wish: Request | Hello, bytes?: Uint8Array): Promise<Answer> {
    const { channel } = this.#connected();
    await channel.writeLine(wish);
    if (bytes !== undefined) await channel.writeBytes(bytes);
    return await this.#receive();
  }

  async #receive(): Promise<Answer> {
    const link = this.#connected();
    const said = lineAs(answer, await link.channel.readLine(), link);
    this.#heardMs = performance.now();
    if ("takenOver" in said) throw new TakeOverError(said.takenOver);
    return said;
  }

  #connected(): Link {
    if (this.#link !== null) return this.#link;
    throw new ContinuoError("unavailable", "there is no connection");
  }

  #acknowledge(said: Answer, known: FileProgress): void {
    if (!("acknowledged" in said)) throw otherLine();
    known.acknowledgedBytes = said.acknowledged.sizeBytes;
    this.#hasProgress = true;
    this.#count();
  }

  #count(): void {
    const isWaiting = [...this.#files.values()].some(
      ({ acknowledgedBytes, sizeBytes }) => acknowledgedBytes < sizeBytes,
    );
    this.#waitingSince = isWaiting ? (this.#waitingSince ?? new Date()) : null;
  }

  async #sendOne({ path, there }: MirroredFile, onBatch: () => void): Promise<void> {
    const file = statFile(path);
    if (file === null) return;
    const old = this.#met.has(path) ? this.#files.get(path) : undefined;
    const known = old ?? (await this.#meet(file, there));
    known.sizeBytes = file.sizeBytes;
    if (known.seen !== null && isUnchanged(file, known.seen)) return;
    this.#count();
    const isRewritten = known.seen !== null && known.seen.sizeBytes === file.sizeBytes;
    if (isLog(there) && !isRewritten && (await this.#append(file, { there, known, onBatch }))) return;
    // The file of the other machine is replaced, so none of its bytes count as acknowledged.
    known.acknowledgedBytes = 0;
    this.#count();
    onBatch();
    await this.#replace(file, { there, known });
    onBatch();
  }

  /**
   * After a new connection, the state of the other machine's file is unknown, so its bytes are compared by their hash.
   */
  async #meet(file: FoundFile, there: string): Promise<FileProgress> {
    const { path } = file;
    const said = await this.#ask({ has: { path: there } });
    if (!("file" in said)) throw otherLine();
    const { sizeBytes, sha256 } = said.file;
    const isBeginning = sizeBytes <= file.sizeBytes && (await startsWith(path, sizeBytes, sha256));
    const known: FileProgress = {
      seen: isBeginning && sizeBytes === file.sizeBytes && sizeBytes > 0 ? file : null,
      acknowledgedBytes: isBeginning ? sizeBytes : 0,
      sizeBytes: file.sizeBytes,
      log: isBeginning && isLog(there) ? await withFile(path, (fd) => sentLog(fd, file, sizeBytes)) : null,
    };
    this.#files.set(path, known);
    this.#met.add(path);
    return known;
  }

  /** Sends what was appended. Returns false if the log was changed in another way. */
  #append(
    file: FoundFile,
    {
      there,
      known,
      onBatch,
    }: { readonly there: string; readonly known: FileProgress; readonly onBatch: () => void },
  ): Promise<boolean> {
    return withFile(file.path, async (fd) => {
      if (known.log === null || !onlyGrew(fd, file, known.log)) return false;
      const isSettled = Date.now() - file.mtimeMs > SETTLED_MS;
      const end = isSettled ? file.sizeBytes : endOfLines(fd, known.log.sentBytes, file.sizeBytes);
      for (let at = known.log.sentBytes; at < end; ) {
        const bytes = readAt(fd, at, Math.min(BATCH_BYTES, end - at));
        if (bytes.length === 0) return false;
        const append = { path: there, offset: at, sizeBytes: bytes.length };
        this.#acknowledge(await this.#ask({ append }, bytes), known);
        at += bytes.length;
        known.log = sentLog(fd, file, at);
        onBatch();
      }
      if (end === file.sizeBytes) known.seen = file;
      return true;
    });
  }

  #replace(
    file: FoundFile,
    { there, known }: { readonly there: string; readonly known: FileProgress },
  ): Promise<void> {
    const { path, sizeBytes } = file;
    return withFile(path, async (fd) => {
      const { channel } = this.#connected();
      await channel.writeLine({ replace: { path: there, sizeBytes } } satisfies Request);
      for (let at = 0; at < sizeBytes; at += BATCH_BYTES) {
        const length = Math.min(BATCH_BYTES, sizeBytes - at);
        const bytes = readAt(fd, at, length);
        // All announced bytes must be sent, even if the file became shorter; the other machine does not store it then.
        await channel.writeBytes(bytes.length === length ? bytes : Buffer.alloc(length));
      }
      const now = statFile(path);
      const isSame = now !== null && isUnchanged(now, file);
      await channel.writeLine({ keep: isSame } satisfies KeepReply);
      this.#acknowledge(await this.#receive(), known);
      if (!isSame) return;
      known.seen = file;
      known.log = isLog(there) ? sentLog(fd, file, sizeBytes) : null;
    });
  }
}

async function untilTakenOver(work: () => Promise<void>): Promise<RemoteTakeOver | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof TakeOverError) return error.there;
    throw error;
  }
}

function isUnchanged(a: FoundFile, b: FoundFile): boolean {
  return a.sizeBytes === b.sizeBytes && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}

function otherLine(): ContinuoError {
  return new ContinuoError("unavailable", "the other machine sent an unexpected line");
}
