INSERT INTO tenure_objectives (queue, within, share)
SELECT said.queue, said.within, said.share
FROM jsonb_to_record($1::jsonb) AS said (queue text, within double precision, share double precision)
ON CONFLICT (queue) DO UPDATE SET within = EXCLUDED.within, share = EXCLUDED.share
RETURNING queue
