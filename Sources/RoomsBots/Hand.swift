/// Decides where a bot's touch goes and when it ends: like a user's, in strokes with rests between them.
struct Hand {
    enum Step: Equatable {
        case rest
        case move(x: Double, y: Double)
        /// The stroke is over.
        case lift
    }

    private var motion: Motion
    private let width: Double
    private let height: Double
    private var restsUntil: Int64
    private var isDown = false
    private var pointsLeft = 0

    init(width: Double, height: Double, now: Int64, _ random: inout BotRandom) {
        self.width = width
        self.height = height
        motion = Motion(
            x: Double.random(in: 0...width, using: &random), y: Double.random(in: 0...height, using: &random))
        restsUntil = now + random.milliseconds(0...1_500)
    }

    var position: (x: Double, y: Double) { motion.rounded }

    /// Long ways with rests of a second or so.
    mutating func wander(now: Int64, seconds: Double, _ random: inout BotRandom) -> Step {
        stroke(
            now: now, seconds: seconds, points: 1...4, reach: max(width, height), haste: 12...80, rests: 200...3_000,
            &random)
    }

    /// Short, quick strokes in one place, then another place.
    mutating func draw(now: Int64, seconds: Double, _ random: inout BotRandom) -> Step {
        let rests: ClosedRange<Int64> = random.chance(0.8) ? 60...300 : 800...4_000
        return stroke(now: now, seconds: seconds, points: 2...10, reach: 120, haste: 150...600, rests: rests, &random)
    }

    /// Moves behind another participant, a little late.
    mutating func follow(_ leader: (x: Double, y: Double)?, now: Int64, seconds: Double, _ random: inout BotRandom)
        -> Step
    {
        guard let leader else {
            if isDown {
                isDown = false
                return .lift
            }
            return .rest
        }
        motion.go(toX: leader.x + 12, y: leader.y + 12, haste: 12)
        motion.advance(by: seconds)
        if motion.isThere, !isDown { return .rest }
        isDown = true
        let (x, y) = motion.rounded
        return .move(x: x, y: y)
    }

    private mutating func stroke(
        now: Int64, seconds: Double, points: ClosedRange<Int>, reach: Double, haste: ClosedRange<Double>,
        rests: ClosedRange<Int64>,
        _ random: inout BotRandom
    ) -> Step {
        guard now >= restsUntil else { return .rest }
        if !isDown {
            isDown = true
            pointsLeft = Int.random(in: points, using: &random)
            aim(reach, haste, &random)
        }
        motion.advance(by: seconds)
        if motion.isThere {
            pointsLeft -= 1
            guard pointsLeft > 0 else {
                isDown = false
                restsUntil = now + random.milliseconds(rests)
                return .lift
            }
            aim(reach, haste, &random)
        }
        let (x, y) = motion.rounded
        return .move(x: x, y: y)
    }

    private mutating func aim(_ reach: Double, _ haste: ClosedRange<Double>, _ random: inout BotRandom) {
        let x = motion.x + Double.random(in: -reach...reach, using: &random)
        let y = motion.y + Double.random(in: -reach...reach, using: &random)
        motion.go(
            toX: min(max(x, 0), width), y: min(max(y, 0), height), haste: Double.random(in: haste, using: &random))
    }

    mutating func lift() { isDown = false }
}
