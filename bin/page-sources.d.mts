export function pageFingerprint(root: string): string;
export function pageIsCurrent(root: string): boolean;
