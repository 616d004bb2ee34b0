-- Slots of live leases by the place of a limit. It may tell of a moment ago: a lane that is full here waits for the next
-- claim, and one that has room is counted again under the lock of its limits.
running_lanes AS MATERIALIZED (
    SELECT lane.queue, lane.kind, lane.tenant, lane.jobs * coalesce(takes.slots, 1) AS slots, takes.uses
    FROM (
        SELECT job.queue, job.kind, job.tenant, count(*) AS jobs
        FROM tenure_jobs AS job, clock
        WHERE job.state = 'running' AND job.lease_expires_at > clock.now
        GROUP BY job.queue, job.kind, job.tenant
    ) AS lane LEFT JOIN tenure_flow AS takes
        ON takes.tenant = '' AND takes.kind = lane.kind AND takes.queue = '' AND takes.resource = ''
), running AS MATERIALIZED (
    SELECT coalesce(jsonb_object_agg(jsonb_build_array(
        coalesce(queue, ''), coalesce(kind, ''), coalesce(tenant, ''), coalesce(resource, '')
    )::text, slots), '{}') AS by_place
    FROM (
        SELECT queue, kind, tenant, NULL AS resource, sum(slots) AS slots FROM running_lanes
        GROUP BY GROUPING SETS ((), (queue), (kind), (tenant), (kind, tenant))
        UNION ALL
        SELECT NULL, NULL, NULL, resource, sum(slots) FROM running_lanes CROSS JOIN unnest(uses) AS resource
        GROUP BY resource
    ) AS counted
),
