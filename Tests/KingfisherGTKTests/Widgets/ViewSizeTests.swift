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
        private let rig: LoadingRig
        private let window = TestWindow(width: 64, height: 48)
        private let view = ImageView()

        init() throws {
            rig = try LoadingRig(side: 300)
            view.contentMode = .scaleAspectFit
        }

        @Test("A load waits until the view has a size")
        func waitsForLayout() async throws {
            _ = view.widget
            var results: [Result<RetrieveImageResult, KingfisherError>] = []
            view.kf.setImage(with: LoadingRig.url(1), options: rig.options + [.decodesToViewSize]) {
                results.append($0)
            }
            for _ in 0..<5 { await GTK.iterate() }
            #expect(results.isEmpty && rig.transport.requests.isEmpty)
            try #require(await window.present(view))
            #expect(await GTK.wait { !results.isEmpty })
            #expect(view.image?.pixels?.width == Int(view.bounds.height) && view.bounds.height < 300)
        }

        /// GTK reports a layout while it runs, when widgets must not change and no callback may be called.
        @Test("A load that waited for the size completes after the layout")
        func completionAfterLayout() async throws {
            try #require(await window.present(view))
            var isLoaded = false
            view.kf.setImage(
                with: LoadingRig.url(4), options: rig.options + [.decodesToViewSize, .waitForCache]
            ) { _ in isLoaded = true }
            #expect(await GTK.wait { isLoaded })

            let (probe, badge, second) = (LayoutProbe(), View(), TestWindow(width: 64, height: 48))
            probe.contentMode = view.contentMode
            _ = probe.widget
            var ends: [(isInLayout: Bool, CacheType?)] = []
            probe.kf.setImage(with: LoadingRig.url(4), options: rig.options + [.decodesToViewSize]) {
                result in
                ends.append((probe.isInLayout, try? result.get().cacheType))
                probe.addSubview(badge)
            }
            #expect(ends.isEmpty)
            try #require(await second.present(probe))
            #expect(await GTK.wait { !ends.isEmpty })
            #expect(ends.count == 1 && ends.first?.isInLayout == false && ends.first?.1 == .memory)
            #expect(await GTK.wait { badge.bounds == probe.bounds && !badge.bounds.isEmpty })
        }

        @Test(
            "An image that loads before its view has a widget is decoded again at the size of the widget")
        func widgetAfterLoad() async throws {
            var isLoaded = false
            view.kf.setImage(
                with: LoadingRig.url(5), options: rig.options + [.decodesToViewSize, .waitForCache]
            ) { _ in isLoaded = true }
            #expect(await GTK.wait { isLoaded })
            #expect(view.image?.pixels?.width == 300)
            try #require(await window.present(view))
            #expect(await GTK.wait { view.image?.pixels?.width == Int(view.bounds.height) })
            #expect(view.bounds.height < 300 && rig.transport.requests.count == 1)
        }

        /// In a container that requests no size for it, the view has no size until it has an image.
        @Test("A view without a size gets the image at its full size")
        func emptyView() async throws {
            let box = View()
            view.placement = .center()
            box.addSubview(view)
            var isLoaded = false
            _ = view.widget
            view.kf.setImage(with: LoadingRig.url(2), options: rig.options + [.decodesToViewSize]) { _ in
                isLoaded = true
            }
            try #require(await window.present(box))
            #expect(await GTK.wait { isLoaded })
            #expect(view.image?.size == CGSize(width: 300, height: 300))
            #expect(await GTK.wait { view.bounds.width == 300 })
        }

        @Test("A change of the scale factor decodes the image again without a request")
        func scaleFactor() async throws {
            try #require(await window.present(view))
            let scale = view.bounds.width > 0 ? Int(gtk_widget_get_scale_factor(view.widget)) : 0
            var completions = 0
            view.kf.setImage(
                with: LoadingRig.url(3), options: rig.options + [.decodesToViewSize, .waitForCache]
            ) { _ in completions += 1 }
            #expect(await GTK.wait { completions == 1 })
            let first = try #require(view.image)
            defer { setWindowScale(scale) }
            try #require(setWindowScale(scale * 2))
            #expect(await GTK.wait { view.image?.scale == CGFloat(scale * 2) })
            #expect(view.image !== first && completions == 1 && rig.transport.requests.count == 1)
            let pixels = try #require(view.image?.pixels)
            #expect(pixels.width == Int(min(view.bounds.width, view.bounds.height)) * scale * 2)
        }

        /// `Tests/Desktop/test-desktop` runs it on a display with a fraction.
        @Test("An image is decoded for the exact scale of the display, also a fraction")
        func exactScale() async throws {
            try #require(await window.present(view))
            let wanted = ProcessInfo.processInfo.environment["KINGFISHER_DISPLAY_SCALE"].flatMap {
                Double($0)
            }
            let scale = wanted ?? Double(gtk_widget_get_scale_factor(view.widget))
            view.kf.setImage(with: LoadingRig.url(4), options: rig.options + [.decodesToViewSize])
            #expect(await GTK.wait { view.image?.scale == CGFloat(scale) })
            let side = min(view.bounds.width, view.bounds.height)
            let pixels = try #require(view.image?.pixels)
            // A window manager may change the size of a window a little after it has appeared, for which
            // nothing is decoded again.
            #expect(abs(Double(pixels.width) / scale - side) <= 4)
        }

        /// Sets the scale of the screen, as the desktop does. Returns false if GTK does not run on X11.
        @discardableResult private func setWindowScale(_ scale: Int) -> Bool {
            typealias Setter = @convention(c) (OpaquePointer?, Int32) -> Void
            guard let symbol = dlsym(nil, "gdk_x11_display_set_surface_scale") else { return false }
            unsafeBitCast(symbol, to: Setter.self)(gdk_display_get_default(), Int32(scale))
            return true
        }
    }
}

/// An image view that records whether GTK currently reports a layout.
@MainActor private final class LayoutProbe: ImageView {
    private(set) var isInLayout = false

    override func displayDidChange() {
        isInLayout = true
        super.displayDidChange()
        isInLayout = false
    }
}
