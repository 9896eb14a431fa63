import { testFormatCases } from "../format-cases.ts";
import { COPILOT_CASES } from "./cases.ts";

testFormatCases(COPILOT_CASES);
