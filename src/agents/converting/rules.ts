/** What each agent, and the model behind it, accepts. One row an agent; facts from docs/formats. Pure. */

import type { AgentName } from "../../model/index.ts";
import { imageTypesOf } from "../adapter/index.ts";

export interface TargetRules {
  /** Of the name of a tool: the stricter of what the vendors' APIs behind the agent take. */
  readonly maxToolNameChars: number;
  /** Results that failed may hold images. */
  readonly imagesInErrors: boolean;
  readonly imageUrls: boolean;
  readonly imageTypes: readonly string[];
  /** `all`; `documents`: PDF and plain text; `none`. */
  readonly files: "all" | "documents" | "none";
  /** Files that are taken keep their names. */
  readonly fileNames: boolean;
  /** A text of the user that begins like this is not sent. */
  readonly droppedStart: RegExp | null;
  /** A result holds one text: several are joined. */
  readonly oneTextInResults: boolean;
  /**
   * Answers name their model. Where they do not, pi and opencode take them for their own model's, and do not
   * turn thinking into text.
   */
  readonly namesModel: boolean;
  /** Whose signatures the model behind the agent knows; others are not sent. */
  readonly vendor: string | null;
  /** The kind of its own calls whose input is text that need not be JSON, as its reader keeps it in `native`. */
  readonly textCall: string | null;
}

export const TARGETS: Readonly<Record<AgentName, TargetRules>> = {
  claude: {
    maxToolNameChars: 64,
    imagesInErrors: false,
    imageUrls: false,
    imageTypes: imageTypesOf("claude"),
    files: "documents",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: true,
    vendor: "anthropic",
    textCall: null,
  },
  codex: {
    maxToolNameChars: 64,
    imagesInErrors: true,
    imageUrls: true,
    imageTypes: imageTypesOf("codex"),
    files: "none",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: true,
    vendor: "openai",
    textCall: "custom_tool_call",
  },
  gemini: {
    maxToolNameChars: 64,
    imagesInErrors: true,
    imageUrls: false,
    imageTypes: imageTypesOf("gemini"),
    files: "all",
    fileNames: false,
    droppedStart: /^\s*(?:[/?]|<session_context>|<hook_context>|$)/u,
    oneTextInResults: true,
    namesModel: true,
    vendor: null,
    textCall: null,
  },
  pi: {
    maxToolNameChars: 64,
    imagesInErrors: true,
    imageUrls: false,
    imageTypes: imageTypesOf("pi"),
    files: "none",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: false,
    vendor: null,
    textCall: null,
  },
  opencode: {
    maxToolNameChars: 64,
    imagesInErrors: false,
    imageUrls: true,
    imageTypes: imageTypesOf("opencode"),
    files: "all",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: true,
    namesModel: false,
    vendor: null,
    textCall: null,
  },
};
