/// A thread that writes what locks rows of all nodes, on a connection of its own, each job in a transaction of its own.
///
/// A claim waits for the row of its room, which another node may have locked, and a limit for the row that all nodes count
/// it in. In the transaction of a group it would hold the group's other rows meanwhile, and two nodes could wait for each
/// other.
enum LoneWriter {
    static func run(_ database: any SQLConnection, _ queue: JobQueue<StoreJob>) {
        while let jobs = queue.take(upTo: 1, bytesMax: .max, until: nil) {
            for job in jobs {
                guard case .write(let body) = job.work else { continue }
                do throws(StoreError) {
                    try perform(job, body, in: database)()
                } catch {
                    job.fail(error)
                }
            }
        }
    }

    /// Of transactions that wait for each other the database has ended one: nothing of it was stored, and the other goes on.
    private static func perform(
        _ job: StoreJob, _ body: StoreJob.Body, in database: any SQLConnection
    ) throws(StoreError) -> StoreJob.Told {
        func attempt() throws(StoreError) -> StoreJob.Told {
            try database.transaction { () throws(StoreError) in
                try [job].lockPeople(in: database)
                return try body(database)
            }
        }
        do throws(StoreError) {
            return try attempt()
        } catch .contended {
            return try attempt()
        }
    }
}
