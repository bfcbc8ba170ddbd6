import CGtk
import Foundation
import Glibc
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// `.decodesToViewSize` in a window.
    @Suite(.serialized) @MainActor struct ViewSize {
        private let stand: Stand
        private let window = TestWindow(width: 64, height: 48)
        private let view = ImageView()

        init() throws {
            stand = try Stand(side: 300)
            view.contentMode = .scaleAspectFit
        }

        @Test func loadWaitsForTheWindow() async throws {
            _ = view.widget
            var results: [Result<RetrieveImageResult, KingfisherError>] = []
            view.kf.setImage(with: Stand.url(1), options: stand.options + [.decodesToViewSize]) {
                results.append($0)
            }
            for _ in 0..<5 { await GTK.turn() }
            #expect(results.isEmpty && stand.transport.requests.isEmpty)
            try #require(await window.present(view))
            #expect(await GTK.wait { !results.isEmpty })
            #expect(view.image?.pixels?.width == Int(view.bounds.height) && view.bounds.height < 300)
        }

        /// GTK tells of a layout from the midst of it, where neither widgets nor the user may do anything.
        @Test func loadThatHasWaitedLeavesTheLayoutAlone() async throws {
            try #require(await window.present(view))
            var isLoaded = false
            view.kf.setImage(
                with: Stand.url(4), options: stand.options + [.decodesToViewSize, .waitForCache]
            ) { _ in isLoaded = true }
            #expect(await GTK.wait { isLoaded })

            let (probe, badge, second) = (LayoutProbe(), View(), TestWindow(width: 64, height: 48))
            probe.contentMode = view.contentMode
            _ = probe.widget
            var ends: [(isInLayout: Bool, CacheType?)] = []
            probe.kf.setImage(with: Stand.url(4), options: stand.options + [.decodesToViewSize]) { result in
                ends.append((probe.isInLayout, try? result.get().cacheType))
                probe.addSubview(badge)
            }
            #expect(ends.isEmpty)
            try #require(await second.present(probe))
            #expect(await GTK.wait { !ends.isEmpty })
            #expect(ends.count == 1 && ends.first?.isInLayout == false && ends.first?.1 == .memory)
            #expect(await GTK.wait { badge.bounds == probe.bounds && !badge.bounds.isEmpty })
        }

        /// A view that loads before it has a widget gets the image of its size as soon as it has one.
        @Test func widgetMayComeLater() async throws {
            var isLoaded = false
            view.kf.setImage(
                with: Stand.url(5), options: stand.options + [.decodesToViewSize, .waitForCache]
            ) { _ in isLoaded = true }
            #expect(await GTK.wait { isLoaded })
            #expect(view.image?.pixels?.width == 300)
            try #require(await window.present(view))
            #expect(await GTK.wait { view.image?.pixels?.width == Int(view.bounds.height) })
            #expect(view.bounds.height < 300 && stand.transport.requests.count == 1)
        }

        /// In a box that gives it no room, the view has no size until it has an image.
        @Test func viewThatGetsNoRoomStillGetsItsImage() async throws {
            let box = View()
            view.placement = .center()
            box.addSubview(view)
            var isLoaded = false
            _ = view.widget
            view.kf.setImage(with: Stand.url(2), options: stand.options + [.decodesToViewSize]) { _ in
                isLoaded = true
            }
            try #require(await window.present(box))
            #expect(await GTK.wait { isLoaded })
            #expect(view.image?.size == CGSize(width: 300, height: 300))
            #expect(await GTK.wait { view.bounds.width == 300 })
        }

        @Test func scaleFactorOfTheScreenIsFollowed() async throws {
            try #require(await window.present(view))
            let scale = view.bounds.width > 0 ? Int(gtk_widget_get_scale_factor(view.widget)) : 0
            var completions = 0
            view.kf.setImage(
                with: Stand.url(3), options: stand.options + [.decodesToViewSize, .waitForCache]
            ) { _ in completions += 1 }
            #expect(await GTK.wait { completions == 1 })
            let first = try #require(view.image)
            defer { setWindowScale(scale) }
            try #require(setWindowScale(scale * 2))
            #expect(await GTK.wait { view.image?.scale == CGFloat(scale * 2) })
            #expect(view.image !== first && completions == 1 && stand.transport.requests.count == 1)
            let pixels = try #require(view.image?.pixels)
            #expect(pixels.width == Int(min(view.bounds.width, view.bounds.height)) * scale * 2)
        }

        /// What the desktop does when the user changes the scale of the screen; false where GTK is not on
        /// X11.
        @discardableResult private func setWindowScale(_ scale: Int) -> Bool {
            typealias Setter = @convention(c) (OpaquePointer?, Int32) -> Void
            guard let symbol = dlsym(nil, "gdk_x11_display_set_surface_scale") else { return false }
            unsafeBitCast(symbol, to: Setter.self)(gdk_display_get_default(), Int32(scale))
            return true
        }
    }
}

/// An image view that knows when GTK tells it of a layout.
@MainActor private final class LayoutProbe: ImageView {
    private(set) var isInLayout = false

    override func displayDidChange() {
        isInLayout = true
        super.displayDidChange()
        isInLayout = false
    }
}
