import { testFormatCases } from "../format-cases.ts";
import { GEMINI_CASES } from "./cases.ts";

testFormatCases(GEMINI_CASES);
