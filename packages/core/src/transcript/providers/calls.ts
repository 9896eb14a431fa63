/** The ids and names of calls, as an API accepts them. */

export interface CallRules {
  readonly id: RegExp;
  readonly longestName: number;
}

export interface CallWords {
  id(id: string): string;
  name(name: string): string;
}

/** An id that the API refuses gets another one, the same for the call and its result. */
export function createCallWords(rules: CallRules): CallWords {
  const others = new Map<string, string>();
  return {
    id(id) {
      if (rules.id.test(id)) return id;
      const known = others.get(id);
      if (known !== undefined) return known;
      const other = `call_of_session_${others.size + 1}`;
      others.set(id, other);
      return other;
    },
    name: (name) => name.replaceAll(/[^\w-]/gu, "_").slice(0, rules.longestName) || "tool",
  };
}
