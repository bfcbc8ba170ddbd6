import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Animated images in a window, in real time.
    @Suite(.serialized) @MainActor final class Animation {
        /// Records the colours that a view shows one after another.
        @MainActor private final class ColorRecorder {
            private(set) var colors: [String] = []

            /// Records until `isEnough` holds. Returns false after ten seconds.
            func record(_ view: View, until isEnough: ([String]) -> Bool) async -> Bool {
                await GTK.wait(upTo: 10) {
                    let color = Drawing(of: view, width: 8, height: 8)[4, 4]
                    if color != self.colors.last { self.colors.append(color) }
                    return isEnough(self.colors)
                }
            }

            /// Records until the colour has changed `count - 1` times.
            func record(_ view: View, until count: Int) async -> Bool {
                await record(view) { $0.count >= count }
            }
        }

        private let window = TestWindow()
        private let recorder = ColorRecorder()

        /// Red, green, blue, 40 ms each.
        private func frames(each delay: TimeInterval = 0.04) throws -> Image {
            let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
            return try #require(
                KingfisherWrapper<Image>.animatedImage(
                    source: try ColorFrames(colors.map { try .solid($0, width: 160, height: 160) }, delay),
                    options: ImageCreatingOptions()))
        }

        @Test("Frames are shown in order, decoded at the size of the widget")
        func frameOrder() async throws {
            let view = AnimatedImageView(image: try frames())
            try #require(await window.present(view))
            let cycle = ["ffff0000", "ff00ff00", "ff0000ff"]
            // A busy machine may miss some frames; seven consecutive ones prove the order.
            let isInOrder = await recorder.record(view) { $0.suffix(7) == (0..<7).map { cycle[$0 % 3] } }
            #expect(isInOrder, "\(recorder.colors)")
            // Decoded at the widget's 80 points, not at the file's 160 pixels.
            #expect(view.displayedImage?.pixels?.width == Int(gtk_widget_get_width(view.widget)))
        }

        @Test("A plain image view plays an animated image")
        func plainView() async throws {
            let view = ImageView()
            try #require(await window.present(view))
            view.image = Image.animatedImage(with: [try .red, try .blue], duration: 0.1)
            #expect(await recorder.record(view, until: 5))
            #expect(Set(recorder.colors) == ["ffff0000", "ff0000ff"])
        }

        @Test("A hidden view does not animate")
        func hiddenView() async throws {
            let view = AnimatedImageView(image: try frames())
            try #require(await window.present(view))
            #expect(await recorder.record(view, until: 3))
            view.isHidden = true
            #expect(view.nextFrameTime == nil)
            let shown = try #require(view.displayedImage)
            for _ in 0..<100 { await GTK.iterate() }
            #expect(view.displayedImage === shown)
            view.isHidden = false
            #expect(await GTK.wait { view.displayedImage !== shown })
        }

        @Test("A view whose window closes stops animating and purges its frames")
        func closedWindow() async throws {
            let view = AnimatedImageView(image: try frames())
            view.purgeFramesOnBackground = true
            try #require(await window.present(view))
            #expect(await recorder.record(view, until: 3))
            window.close()
            #expect(view.nextFrameTime == nil && view.isAnimating)
            let animator = try #require(view.animator)
            #expect(await GTK.wait { (0..<3).filter { animator.frame(at: $0) != nil }.count == 1 })
        }

        @Test("A slow animation requests few display frames and little CPU time")
        func slowAnimation() async throws {
            let view = CountingView(image: try frames(each: 0.1))
            try #require(await window.present(view))
            #expect(await GTK.wait { view.isAnimating && view.animator?.frame(at: 2) != nil })
            let (start, cpuStart) = (ContinuousClock.now, clock())
            view.advances = 0
            try await Task.sleep(for: .seconds(2))
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let share = Double(clock() - cpuStart) / Double(CLOCKS_PER_SEC) / seconds
            // Few display frames apart from those in which the image changes.
            #expect(view.advances >= 10 && view.advances <= 70, "\(view.advances) frames")
            #expect(share < 0.5, "\(share) s of CPU time per second")
        }

        @Test("An image indicator is animated between start and stop only")
        func imageIndicator() async throws {
            let view = ImageView(image: try .solid([255, 255, 255, 255], width: 80, height: 80))
            view.kf.indicatorType = .image(imageData: try Fixtures.data(named: "GIF/delays.gif"))
            let indicator = try #require(view.kf.indicator?.view as? AnimatedImageView)
            let natural = try #require(indicator.image).size
            try #require(await window.present(view))
            #expect(gtk_widget_get_mapped(indicator.widget) == 0)
            view.kf.indicator?.startAnimatingView()
            #expect(
                await GTK.wait {
                    gtk_widget_get_width(indicator.widget) > 0 && indicator.displayedImage !== indicator.image
                })
            #expect(Int(gtk_widget_get_width(indicator.widget)) == Int(natural.width))
            view.kf.indicator?.stopAnimatingView()
            #expect(indicator.nextFrameTime == nil && gtk_widget_get_visible(indicator.widget) == 0)
        }
    }
}

private final class CountingView: AnimatedImageView {
    var advances = 0

    override func advance() {
        advances += 1
        super.advance()
    }
}

/// Frames of one colour each.
final class ColorFrames: ImageFrameSource {
    let data: Data? = nil
    private let images: [Image]
    private let delay: TimeInterval

    init(_ images: [Image], _ delay: TimeInterval) throws {
        (self.images, self.delay) = (images, delay)
    }

    var frameCount: Int { images.count }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard let maxSize else { return images[index].pixels }
        return images[index].kf.resize(to: maxSize).pixels
    }

    func duration(at index: Int) -> TimeInterval { delay }

    func copy() -> ColorFrames { self }
}
