/// A thread that only reads, on a connection of its own.
enum StoreReader {
    static func run(_ database: any SQLConnection, _ queue: JobQueue<StoreJob>, _ state: StoreState) {
        while let jobs = queue.take(upTo: 1, bytesMax: .max, until: nil) {
            for job in jobs {
                if case .read(let body) = job.work { read(body, job, database, state) }
            }
        }
    }

    /// All that a job reads is of one moment.
    static func read(
        _ body: StoreJob.Body, _ job: StoreJob, _ database: any SQLConnection, _ state: StoreState
    ) {
        state.count { $0.reads += 1 }
        do throws(StoreError) {
            let told = try database.transaction(.read) { () throws(StoreError) in try body(database) }
            told()
        } catch {
            if case .corrupt = error { state.turn(.failing(error)) }
            job.fail(error)
        }
    }
}
