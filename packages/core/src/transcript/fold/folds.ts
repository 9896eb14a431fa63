/** The effect of each type of event on a transcript: one row per type, so that someone decides on a new type. */

import type { EventType } from "../../model/index.ts";
import type { EventEntry, Fields } from "../events/index.ts";
import { approvalRequested, approvalResolved } from "./approvals.ts";
import { leaveOut, type TranscriptDraft } from "./draft.ts";
import { modeChanged, newest, runCompleted, sessionChanged, turnCompleted, usageUpdated } from "./facts.ts";
import { runCreated } from "./inputs.ts";
import {
  messageCompleted,
  messageDeleted,
  messageReceived,
  messageSent,
  messageUpdated,
} from "./messages.ts";
import { addNote, runEnded } from "./notes.ts";
import { messageStreamed } from "./streams.ts";
import { toolCallCompleted, toolCallFailed, toolCallStarted } from "./tools.ts";

export type EventFold = (draft: TranscriptDraft, entry: EventEntry, payload: Fields) => void;

const untold: EventFold = (draft) => leaveOut(draft, "untold");
const custom: EventFold = (draft) => leaveOut(draft, "custom");

export const FOLDS: Readonly<Record<EventType, EventFold>> = {
  message_sent: messageSent,
  message_received: messageReceived,
  message_streamed: messageStreamed,
  message_updated: messageUpdated,
  message_completed: messageCompleted,
  tool_call_started: toolCallStarted,
  tool_call_updated: untold,
  tool_call_completed: toolCallCompleted,
  tool_call_failed: toolCallFailed,
  token_usage_updated: usageUpdated,
  turn_completed: turnCompleted,
  budget_exceeded: addNote,
  session_created: sessionChanged,
  session_updated: sessionChanged,
  session_resumed: newest("resumption"),
  session_handed_over: newest("handedOver"),
  session_state_changed: newest("liveState"),
  session_closed: newest("closed"),
  run_created: runCreated,
  run_started: untold,
  run_cancel_requested: untold,
  run_completed: runCompleted,
  run_failed: runEnded("failed", "interrupted"),
  run_cancelled: runEnded("cancelled", "cancelled"),
  run_timed_out: runEnded("timeout", "interrupted"),
  run_interrupted: runEnded("interrupted", "interrupted"),
  approval_requested: approvalRequested,
  approval_resolved: approvalResolved,
  error_raised: addNote,
  plan_updated: untold,
  mode_changed: modeChanged,
  diagnostics_reported: untold,
  evidence_added: untold,
  transcript_added: untold,
  remark_added: untold,
  frame_captured: untold,
  voice_activity: untold,
  playback_changed: untold,
  captions_listed: untold,
  evidence_dropped: untold,
  blob_purged: untold,
  telemetry_reported: untold,
  decision_made: untold,
  context_requested: untold,
  event_quarantined: untold,
  notes_carried: untold,
  note_writer_chosen: untold,
  checkpoint_written: untold,
  draft_written: untold,
  note_written: untold,
  note_updated: untold,
  note_merged: untold,
  note_archived: untold,
  note_removed: untold,
  page_written: untold,
  page_changed: untold,
  message_interrupted: untold,
  message_edited: messageUpdated,
  message_deleted: messageDeleted,
  reaction_added: untold,
  reaction_removed: untold,
  method_called: untold,
  method_answered: untold,
  method_cancelled: untold,
  history_cleared: untold,
  participant_joined: untold,
  participant_left: untold,
  presence_changed: untold,
  custom,
  bytes: untold,
};
