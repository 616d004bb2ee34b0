= ANY (ARRAY['' COLLATE "C"] || (
                            SELECT own.uses FROM tenure_flow AS own
                            WHERE own.tenant = '' AND own.kind = next.kind AND own.queue = '' AND own.resource = ''
                        ))
