export declare const PACKAGE_ROOT: string;
export declare const IGNORE_THE_FOLDER: readonly string[];
