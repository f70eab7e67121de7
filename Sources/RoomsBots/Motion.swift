/// A hand on the canvas: it goes to a place as if drawn by a spring, rests, and goes to the next.
struct Motion {
    private(set) var x: Double
    private(set) var y: Double
    private var speedX = 0.0
    private var speedY = 0.0
    private(set) var goalX: Double
    private(set) var goalY: Double
    /// How hurried it is: the spring's strength.
    private var haste = 20.0

    init(x: Double, y: Double) {
        (self.x, self.y, goalX, goalY) = (x, y, x, y)
    }

    mutating func go(toX x: Double, y: Double, haste: Double) {
        (goalX, goalY, self.haste) = (x, y, haste)
    }

    /// Critically damped, in steps short enough to stay so.
    mutating func advance(by seconds: Double) {
        var left = min(seconds, 0.5)
        let damping = 2 * haste.squareRoot()
        while left > 0 {
            let step = min(left, 1.0 / 120)
            speedX += ((goalX - x) * haste - speedX * damping) * step
            speedY += ((goalY - y) * haste - speedY * damping) * step
            x += speedX * step
            y += speedY * step
            left -= step
        }
    }

    var isThere: Bool { abs(goalX - x) < 6 && abs(goalY - y) < 6 }

    /// To a tenth, as pointers give it.
    var rounded: (x: Double, y: Double) { ((x * 10).rounded() / 10, (y * 10).rounded() / 10) }
}
