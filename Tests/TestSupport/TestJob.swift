import Transport

/// Has a test run something on a shard.
private struct TestJob: ShardItem {
    let run: @Sendable (Shard) -> Void

    func arrive(on shard: Shard) {
        run(shard)
    }
}

extension ShardMailbox {
    @discardableResult
    package func post(_ run: @escaping @Sendable (Shard) -> Void) -> Bool { post(TestJob(run: run)) }
}
