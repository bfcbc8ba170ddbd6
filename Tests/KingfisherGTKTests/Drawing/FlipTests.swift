import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// Flip transitions, drawn flat and in perspective.
    @Suite(.serialized) @MainActor struct Flips {
        let window = TestWindow()
        let view = ImageView()
        let clock = ManualAnimationClock()

        /// Starts a linear flip of two seconds from red to blue and advances to `progress`.
        private func begin(_ direction: FlipDirection, at progress: Double) async throws {
            try await begin(direction, at: progress, from: .red, to: .blue)
        }

        private func begin(
            _ direction: FlipDirection, at progress: Double, from old: Image?, to new: Image?
        ) async throws {
            view.clock = clock
            view.image = old
            try #require(await window.present(view))
            let effect: AnimationOptions =
                switch direction {
                case .fromLeft: .transitionFlipFromLeft
                case .fromRight: .transitionFlipFromRight
                case .fromTop: .transitionFlipFromTop
                case .fromBottom: .transitionFlipFromBottom
                }
            view.transition(
                .custom(duration: 2, options: [effect, .curveLinear], animations: nil, completion: nil)
            ) {
                view.image = new
            }
            clock.advance(by: 2 * progress)
        }

        /// The center line of pixels perpendicular to the axis, of a view of 16 by 16 points.
        private func line(_ direction: FlipDirection) -> String {
            let drawing = Drawing(of: view, width: 16, height: 16)
            return direction.isSideways ? drawing.row(8) : drawing.column(8)
        }

        nonisolated static let moments: [(progress: Double, line: String)] = [
            (0, "RRRRRRRRRRRRRRRR"), (0.25, "..~RRRRRRRRRR~.."), (1.0 / 3, "....RRRRRRRR...."),
            (0.5, "................"), (2.0 / 3, "....BBBBBBBB...."), (0.75, "..~BBBBBBBBBB~.."),
            (1, "BBBBBBBBBBBBBBBB"),
        ]

        @Test(
            "In a flat flip the width shrinks to zero and grows again",
            arguments: FlipDirection.allCases, moments)
        func flat(_ direction: FlipDirection, _ moment: (progress: Double, line: String)) async throws {
            try await begin(direction, at: moment.progress)
            #expect(line(direction) == moment.line)
        }

        @Test("In a flat flip nothing changes along the axis", arguments: FlipDirection.allCases)
        func alongTheAxis(_ direction: FlipDirection) async throws {
            try await begin(direction, at: 1.0 / 3)
            let drawing = Drawing(of: view, width: 16, height: 16)
            let along = direction.isSideways ? drawing.column(8) : drawing.row(8)
            #expect(along == "RRRRRRRRRRRRRRRR")
            let across = (0..<16).map { direction.isSideways ? drawing.row($0) : drawing.column($0) }
            #expect(Set(across) == ["....RRRRRRRR...."])
        }

        @Test("The edge pixel is antialiased: 16 cos 45° = 11.31 = 10 + 2 · 0.66")
        func edge() async throws {
            try await begin(.fromLeft, at: 0.25)
            let alpha = Drawing(of: view, width: 16, height: 16).channels(2, 8)[0]
            #expect(abs(alpha - 168) <= 3)
        }

        @Test("A flip mirrors neither side", arguments: FlipDirection.allCases)
        func upright(_ direction: FlipDirection) async throws {
            let colors: [SIMD4<UInt8>] = [
                [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255],
            ]
            func halves(_ first: SIMD4<UInt8>, _ second: SIMD4<UInt8>) throws -> Image {
                let isSideways = direction.isSideways
                return Image(
                    pixels: try PixelBuffer(width: 16, height: 16, format: .rgba8Opaque) {
                        rows, bytesPerRow in
                        for y in 0..<16 {
                            for x in 0..<16 {
                                let color = (isSideways ? x : y) < 8 ? first : second
                                for channel in 0..<4 {
                                    rows[y * bytesPerRow + x * 4 + channel] = color[channel]
                                }
                            }
                        }
                    })
            }
            let (old, new) = (try halves(colors[0], colors[1]), try halves(colors[2], colors[3]))
            try await begin(direction, at: 1.0 / 3, from: old, to: new)
            #expect(line(direction) == "....RRRRGGGG....")
            clock.advance(by: 2.0 / 3)
            #expect(line(direction) == "....BBBBYYYY....")
        }

        @Test("Built-in flips ease in and out")
        func pace() async throws {
            view.clock = clock
            view.image = try .red
            try #require(await window.present(view))
            let blue = try Image.blue
            view.transition(.flipFromTop(2)) { view.image = blue }
            clock.advance(by: 2 * (1.0 / 6).squareRoot())
            // 2 t² = 1/3
            #expect(line(.fromTop) == "....RRRRRRRR....")
        }

        @Test("At two pixels per point a flip covers the same points")
        func twoPixelsAPoint() async throws {
            try await begin(.fromRight, at: 1.0 / 3)
            let row = Drawing(of: view, width: 16, height: 16, scale: 2).row(16)
            #expect(row == String(repeating: ".", count: 8) + String(repeating: "R", count: 16) + "........")
        }

        @Test(
            "In perspective the view rotates about its center",
            arguments: zip(
                FlipDirection.allCases,
                [
                    "rotate3d(0, 1, 0, 45)", "rotate3d(0, 1, 0, 315)", "rotate3d(1, 0, 0, 315)",
                    "rotate3d(1, 0, 0, 45)",
                ]))
        func depthOperations(_ direction: FlipDirection, _ rotation: String) async throws {
            try await begin(direction, at: 0.25)
            let node = try #require(DrawnNode(of: view, width: 64, height: 40, projection: .perspective))
            let expected = "transform: translate(32, 20) perspective(128) \(rotation) translate(-32, -20);"
            #expect(node.text.contains(expected), "\(node.text)")

            clock.advance(by: 0.5)
            #expect(DrawnNode(of: view, width: 64, height: 40, projection: .perspective) == nil)
            clock.advance(by: 1)
            let settled = try #require(DrawnNode(of: view, width: 64, height: 40, projection: .perspective))
            #expect(!settled.text.contains("perspective"))
        }

        @Test("The renderer determines the projection")
        func projection() async throws {
            #expect(Projection(of: view.widget) == .flat)
            try #require(await window.present(view))
            #expect(Projection(of: view.widget) == (GTK.drawsDepth ? .perspective : .flat))
        }

        /// Compares the sides of the quadrangle that GL draws with the projected corners.
        @Test(
            "On GL the named side comes forward first, then the opposite side",
            .enabled("cairo does not draw perspective") { GTK.drawsDepth }, arguments: FlipDirection.allCases)
        func depth(_ direction: FlipDirection) async throws {
            try await begin(direction, at: 0.25)
            let renderer = try #require(window.renderer)
            // A corner at 45°: 32 cos 45° to the side and as far before the screen, 128 from the eye.
            let reach = 32 * 0.5.squareRoot()
            let near = (grown: 128 / (128 - reach), shrunk: 128 / (128 + reach))
            for (progress, color) in [(0.25, "R"), (0.75, "B")] {
                let drawing = Drawing(of: view, width: 64, height: 64, margin: 16, by: renderer)
                let isFirst = direction == .fromLeft || direction == .fromTop
                // The named side is near in the first half, the opposite side in the second.
                let nearFirst = isFirst == (progress < 0.5)
                let middle = direction.isSideways ? drawing.row(48) : drawing.column(48)
                let shown = middle.indices(of: Character(color))
                let (low, high) = (try #require(shown.first), try #require(shown.last))
                #expect(abs(48 - Double(low) - reach * (nearFirst ? near.grown : near.shrunk)) < 1.5)
                #expect(abs(Double(high) + 1 - 48 - reach * (nearFirst ? near.shrunk : near.grown)) < 1.5)
                func extent(_ position: Int) -> Int {
                    let line = direction.isSideways ? drawing.column(position) : drawing.row(position)
                    return line.indices(of: Character(color)).count
                }
                let (first, second) = (extent(low + 1), extent(high - 1))
                #expect(abs(Double(first) - 64 * (nearFirst ? near.grown : near.shrunk)) < 3)
                #expect(abs(Double(second) - 64 * (nearFirst ? near.shrunk : near.grown)) < 3)
                clock.advance(by: 1)
            }
        }

        @Test("A flip runs in a window and ends with each renderer", arguments: FlipDirection.allCases)
        func inAWindow(_ direction: FlipDirection) async throws {
            view.contentMode = .scaleAspectFill
            try await begin(
                direction, at: 0, from: .solid([255, 0, 0, 255], width: 16, height: 8), to: .blue)
            for _ in 0..<19 {
                let before = window.frameCount
                clock.advance(by: 0.1)
                #expect(await GTK.wait { window.frameCount > before })
            }
            clock.advance(by: 0.2)
            #expect(await GTK.wait { view.runningTransition == nil })
            #expect(line(direction) == "BBBBBBBBBBBBBBBB")
        }
    }
}

extension FlipDirection {
    /// Whether the flip is horizontal.
    fileprivate var isSideways: Bool { self == .fromLeft || self == .fromRight }
}

extension String {
    /// The offsets of all occurrences of `character`.
    fileprivate func indices(of character: Character) -> [Int] {
        enumerated().filter { $0.element == character }.map(\.offset)
    }
}
