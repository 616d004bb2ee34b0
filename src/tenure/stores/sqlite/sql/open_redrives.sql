SELECT id FROM tenure_redrives WHERE state IN ('freezing', 'running') OR redriven > 0 ORDER BY id
