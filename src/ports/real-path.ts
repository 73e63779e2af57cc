/** Where paths really lead; asked before anything is allowed by where it lies. */
export interface RealPaths {
  /**
   * The real places of an absolute path, by every way a program may read it: links followed before `..` goes up, and
   * after. What does not exist yet counts too. Null when it cannot be told, or not in time.
   */
  placesOf(path: string): Promise<readonly string[] | null>;
  /** Whether there is a file or a link, but no directory. True when it cannot be told. */
  isFile(path: string): Promise<boolean>;
}
