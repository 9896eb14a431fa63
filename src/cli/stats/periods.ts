/** Days, weeks and months in local time. Pure. */

/** `2026-01-31`. */
export function localDay(at: Date): string {
  return `${monthOf(at)}-${two(at.getDate())}`;
}

/** The Monday of the week, as `localDay`. */
export function weekOf(at: Date): string {
  const monday = new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7));
  return localDay(monday);
}

/** `2026-01`. */
export function monthOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
