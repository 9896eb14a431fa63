/** The tools, in the order in which clients see them. */

import { digestTool } from "./digest-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import { recallTool } from "./recall-tool.ts";
import { searchTool } from "./search-tool.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [searchTool, grepTool, readTool, digestTool, recallTool];
