import Foundation
import Kingfisher
import Testing

@Suite struct FlipPoseTests {
    @Test(
        "The first half shows the old image, the second half the new one",
        arguments: zip(
            [0, 0.25, 0.5, 0.75, 1], [(false, 0.0), (false, 45), (true, -90), (true, -45), (true, 0)]))
    func halves(_ progress: Double, _ expected: (showsNew: Bool, angle: Double)) {
        let signs: [FlipDirection: (axis: FlipPose.Axis, sign: Double)] = [
            .fromLeft: (.vertical, 1), .fromRight: (.vertical, -1),
            .fromTop: (.horizontal, -1), .fromBottom: (.horizontal, 1),
        ]
        for direction in FlipDirection.allCases {
            let pose = FlipPose(direction, progress: progress)
            #expect(pose.axis == signs[direction]?.axis)
            #expect(pose.showsNew == expected.showsNew)
            #expect(pose.angle == expected.angle * (signs[direction]?.sign ?? 0))
        }
    }

    @Test(
        "Without perspective only the width changes",
        arguments: zip([0, 0.25, 1.0 / 3, 0.5, 0.75, 1], [1, 0.5.squareRoot(), 0.5, 0, 0.5.squareRoot(), 1]))
    func foreshortening(_ progress: Double, _ expected: Double) {
        for direction in FlipDirection.allCases {
            let breadth = FlipPose(direction, progress: progress).foreshortening
            #expect(abs(breadth - expected) < 1e-12)
            if expected == 0 || expected == 1 { #expect(breadth == expected) }
        }
    }

    @Test("Progress outside 0 to 1 is clamped") func clampedProgress() {
        for direction in FlipDirection.allCases {
            #expect(FlipPose(direction, progress: -1) == FlipPose(direction, progress: 0))
            #expect(FlipPose(direction, progress: 2) == FlipPose(direction, progress: 1))
        }
    }

    /// The projection of the card computed by hand: the sides that come forward, and how much they grow.
    @Test("The side that names the direction comes forward") func direction() {
        let size = CGSize(width: 60, height: 30)
        let eye = FlipPose.eyeDistance(from: size)
        #expect(eye == 120)
        /// The distance of the middle of a side from the plane of the screen: above 0 in front of it.
        func depth(of direction: FlipDirection, _ progress: Double, x: Double, y: Double) -> Double {
            let pose = FlipPose(direction, progress: progress)
            let sine = sin(pose.angle * .pi / 180)
            return pose.axis == .vertical ? -x * sine : y * sine
        }
        for progress in [0.1, 0.25, 0.49] {
            #expect(depth(of: .fromLeft, progress, x: -30, y: 0) > 0)
            #expect(depth(of: .fromRight, progress, x: 30, y: 0) > 0)
            #expect(depth(of: .fromTop, progress, x: 0, y: -15) > 0)
            #expect(depth(of: .fromBottom, progress, x: 0, y: 15) > 0)
        }
        // In the second half the side that came forward is on the opposite side.
        for progress in [0.51, 0.75, 0.9] {
            #expect(depth(of: .fromLeft, progress, x: 30, y: 0) > 0)
            #expect(depth(of: .fromBottom, progress, x: 0, y: -15) > 0)
        }
        let largest = eye / (eye - depth(of: .fromLeft, 0.499999, x: -30, y: 0))
        #expect(abs(largest - 4.0 / 3) < 1e-3)
    }
}
