"""What operators say of jobs, queues, kinds, tenants and schedules, and the handles that they get."""
