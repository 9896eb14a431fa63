/** The types of continuous sessions as the server shows them: states, levels, and the answers of `/v1/live`. */

/** The states that are stored. `checkpointed` is only reported, not stored. */
export const LIVE_STATES = ["created", "active", "idle", "degraded", "closed", "abandoned"] as const;

export type LiveState = (typeof LIVE_STATES)[number];

/** `checkpointed` replaces `created`, `active` and `idle` while no input came after the newest checkpoint. */
export type ReportedState = LiveState | "checkpointed";

export const LEVELS = ["normal", "warning", "critical"] as const;

/** Says how much evidence the notes do not contain yet. */
export type Level = (typeof LEVELS)[number];

/** `one`: one lane processes all input in order. `split`: critical and supplementary input have separate lanes. */
export type Lanes = "one" | "split";

/** `warning` from 80 % of the session's budget on; `spent`: no model is called any more. */
export type BudgetState = "normal" | "warning" | "spent";

/** The cost of a session so far. */
export interface LiveCost {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** An event of the session's log that differs from what was written, or a range of missing events. */
export interface DamagedEvent {
  /** @type integer */
  readonly sequence: number;
  /**
   * The last one of a range of missing events; otherwise the same as `sequence`.
   *
   * @type integer
   */
  readonly through: number;
  /** The type that its row has now; `null` if the row cannot be read. */
  readonly type: string | null;
  readonly reason: string;
  /** `quarantined`: a repair put it aside. */
  readonly status: "found" | "quarantined";
}

export interface LiveHealth {
  readonly lastError: string | null;
  readonly lastCheckpointError: string | null;
  readonly degradedReason: string | null;
  readonly degradedAt: string | null;
  /** A sentence that says why notes are currently made without the model; `null` if the model is used. */
  readonly standIn: string | null;
  /** The events of the log that cannot be trusted and are left out everywhere; at most the first 100. */
  readonly damaged: readonly DamagedEvent[];
}

/** The answer of `GET /v1/live/KEY`. Times are ISO 8601 UTC. */
export interface LiveSession {
  readonly sessionId: string;
  readonly key: string;
  /** In lists: every key that means this session, if there are several. */
  readonly keys?: readonly string[];
  readonly videoId: string;
  readonly title: string | null;
  /** The closed or abandoned session of the same key or video that this session follows. */
  readonly parentId: string | null;
  /** Set if that session no longer exists: a person removed it and can restore it, or it was deleted. */
  readonly parentStatus?: "removed" | "deleted";
  /** The notes of the session of `parentId` were taken over: they are now among the notes of this session. */
  readonly tookNotesOver?: true;
  /** The session has its own page: summary, chapters, decisions and open questions. */
  readonly hasPage?: true;
  readonly state: ReportedState;
  readonly level: Level;
  /** Transcripts, remarks, frames and note events of people that were appended and are not processed yet. */
  readonly depth: number;
  /** The number of times that another owner took the session over. */
  readonly restarts: number;
  readonly noteIds: readonly string[];
  /** The newest sequence up to which everything was processed. */
  readonly ledgerCursor: number;
  /** A hash that changes whenever the notes change. */
  readonly contextHash: string;
  /** The note writer that is used; `extractive` needs no model. It is missing from a server that only reads. */
  readonly noteWriter?: string;
  /** `true` for a note writer that costs nothing, because its model runs on the machine of the server. */
  readonly isWriterFree?: boolean;
  readonly cost: LiveCost;
  readonly budget: BudgetState;
  readonly health: LiveHealth;
  readonly lanes: Lanes;
  /** True if only the memory of one server has the session: the store failed at creation, and the client allowed it. */
  readonly ephemeral: boolean;
  readonly createdAt: string;
  /** The time of the last input; the time of creation if there was none. */
  readonly lastActivityAt: string;
  readonly closedAt: string | null;
}

/** A session that a person removed, until it is deleted. Times are ISO 8601 UTC. */
export interface RemovedLiveSession {
  readonly sessionId: string;
  readonly key: string;
  readonly videoId: string;
  readonly title: string | null;
  readonly removedAt: string;
  /** Until then, `restore` can bring the session back. */
  readonly deletedAfter: string;
}

/** The body of `PUT /v1/live/KEY`. */
export interface LiveSessionRequest {
  readonly videoId: string;
  readonly title?: string;
  /** `allow`: if the store cannot be written, the server makes an ephemeral session. */
  readonly ephemeral?: "allow";
  readonly lanes?: Lanes;
  /** The name of a note writer of the server; the server's default if none is given. */
  readonly noteWriter?: string;
  /** A budget of this session, which can only be tighter than the server's. */
  readonly budget?: { readonly maxTokens?: number; readonly maxCostUsd?: number };
  /**
   * `video`: continues the newest session of the video, even if it has another key, and joins it if it is open. `key`
   * (default): continues only the last session of this key, without its notes.
   */
  readonly continues?: "video" | "key";
}

/** A note writer that a person can choose for a session, as `GET /v1/live/KEY/writers` lists it. */
export interface OfferedWriter {
  readonly name: string;
  /**
   * `none`: without a model. `named`: a writer that the server's configuration names. `here`: a model that runs on the
   * machine of the server. `agent`: an agent that is installed there.
   */
  readonly kind: "none" | "named" | "here" | "agent";
  /**
   * 0 for a writer that costs nothing, otherwise the cost of its sessions per hour; `null` while these sessions
   * together are too short for an estimate.
   */
  readonly hourUsd: number | null;
  /** True if the session uses this writer. */
  readonly isUsed: boolean;
}

export interface OpenedLiveSession {
  readonly sessionId: string;
  readonly state: ReportedState;
  /** True if this request created it. */
  readonly created: boolean;
  /**
   * The video of the session; it differs from the one in the request if the key joined the session of another video.
   */
  readonly videoId: string;
  readonly ephemeral?: true;
}

/** The answer of `POST /v1/live/KEY/ask`. */
export interface LiveAnswer {
  readonly text: string;
  /**
   * `quote`: there is no model, or its budget is spent; the text is the note or the line that is most similar to the
   * question.
   */
  readonly by: "model" | "quote";
  /** Ids of the events and notes that the answer is made from. */
  readonly evidence: readonly string[];
  readonly noteIds: readonly string[];
}

/** The answer to input that was accepted; the input is already stored durably. */
export interface Acknowledgement {
  /** Sequences of the stored events, in the order of the input; empty for a batch that was stored before. */
  readonly sequences: readonly number[];
  readonly depth: number;
  readonly level: Level;
  /** The number of pieces of telemetry that were not stored, because too much evidence was waiting to be processed. */
  readonly dropped: number;
}
