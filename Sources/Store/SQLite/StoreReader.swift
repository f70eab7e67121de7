/// A thread that only reads, on a connection of its own.
enum StoreReader {
    static func run(_ database: Database, _ queue: JobQueue<StoreJob>, _ state: StoreState) {
        while let jobs = queue.take(upTo: 1, bytesMax: .max, until: nil) {
            for job in jobs { read(job, database, state) }
        }
    }

    /// All that a job reads is of one moment.
    static func read(_ job: StoreJob, _ database: Database, _ state: StoreState) {
        state.count { $0.reads += 1 }
        do throws(StoreError) {
            try database.run("BEGIN")
            let told = try job.run(database)
            try database.run("COMMIT")
            told()
        } catch {
            database.rollBack()
            if case .corrupt = error { state.turn(.failing(error)) }
            job.fail(error)
        }
    }
}
