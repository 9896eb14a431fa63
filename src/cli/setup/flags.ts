/** The flags of `setup`, as commander gives them. */

export interface SetupFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly diff?: true;
  readonly undo?: true;
  readonly json?: true;
}
