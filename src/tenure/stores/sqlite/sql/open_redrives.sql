SELECT id FROM tenure_redrives WHERE state = 'running' OR redriven > 0 ORDER BY id
