SELECT seq, at, who, verb, subject, why, detail FROM tenure_audit WHERE seq < ? ORDER BY seq DESC LIMIT ?
