/** Resolves paths; asked before access is allowed by location. */
export interface RealPaths {
  /**
   * The real paths of an absolute path, by every way a program may resolve it: links followed before `..` goes up, and
   * after. What does not exist yet counts, too. Null if it cannot be resolved, or not in time.
   */
  placesOf(path: string): Promise<readonly string[] | null>;
  /** Whether there is a file or a link, but no directory. True if unknown. */
  isFile(path: string): Promise<boolean>;
}
