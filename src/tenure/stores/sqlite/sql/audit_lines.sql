SELECT seq, at, who, verb, subject, why, detail FROM tenure_audit ORDER BY seq DESC LIMIT ?
