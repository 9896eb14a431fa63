/** The tools, in the order in which clients see them. */

import { readTool } from "./read-tool.ts";
import { searchTool } from "./search-tool.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [searchTool, readTool];
