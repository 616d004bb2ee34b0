OR rule.slots > request.most_slots
                            OR rule.concurrency <= coalesce(
                                (
                                    SELECT (
                                        by_place->>jsonb_build_array(rule.queue, rule.kind, rule.tenant, rule.resource)::text
                                    )::bigint FROM running
                                ),
                                0
                            )
                            OR least(
                                rule.burst::double precision,
                                rule.tokens + greatest(
                                    0, extract(epoch FROM clock.now - rule.filled_at)::double precision
                                ) * rule.starts / rule.seconds
                            ) < 1
                            OR EXISTS (
                                SELECT FROM jsonb_array_elements(request.busy) AS place
                                WHERE place = jsonb_build_array(rule.queue, rule.kind, rule.tenant, rule.resource)
                            )
