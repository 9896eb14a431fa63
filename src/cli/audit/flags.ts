/** The flags of `continuo audit`, as they arrive. */

export interface AuditFlags {
  readonly store?: string;
  readonly workspace?: string;
  readonly since?: string;
  readonly who?: string;
  readonly what?: string;
  readonly limit: number;
  readonly all?: true;
  readonly json?: true;
}
