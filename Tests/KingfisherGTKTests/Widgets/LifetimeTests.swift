import CGLibMainHook
import CGtk
import Foundation
import Glibc
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Synchronization
import Testing

extension GTKTests {
    /// Views that are made, loaded, animated and destroyed by the thousand. `KINGFISHER_SOAK=1` takes ten
    /// times as many.
    @Suite(.serialized) @MainActor final class LifetimeUnderLoad {
        private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil
        private let stand: Stand
        private var ends: [Int]
        private var callsAfterDeath = 0

        init() throws {
            stand = try Stand()
            ends = []
        }

        @Test func thousandsOfViewsLeaveNothing() async throws {
            let (batches, size) = (Self.isLong ? 200 : 20, 100)
            let (widgets, views) = (WidgetCount.alive, CountedImageView.alive)
            var settled = 0
            for batch in 0..<batches {
                try await showAndDestroy(size, closingEarly: batch % 2 == 1)
                if batch == batches / 4 { settled = ProcessFacts.residentBytes }
            }
            #expect(await GTK.wait { WidgetCount.alive == widgets && CountedImageView.alive == views })
            #expect(ends.count == batches * size && ends.allSatisfy { $0 == 1 })
            #expect(callsAfterDeath == 0)
            let growth = ProcessFacts.residentBytes - settled
            let perView = growth / ((batches - batches / 4 - 1) * size)
            print("lifetime: \(batches * size) views, \(perView) bytes more for each after the first quarter")
            // Address Sanitizer keeps what was freed.
            #expect(perView < 2 << 10 || ProcessFacts.isSanitized)
        }

        /// Shows `count` views that load and fade, and destroys them: faded, or in the middle of it.
        private func showAndDestroy(_ count: Int, closingEarly: Bool) async throws {
            let window = TestWindow(width: 200, height: 200)
            let grid = View()
            let first = ends.count
            ends += Array(repeating: 0, count: count)
            for index in first..<first + count {
                let view = CountedImageView()
                WidgetCount.watch(view)
                view.kf.indicatorType = .activity
                WidgetCount.watch(try #require(view.kf.indicator).view)
                grid.addSubview(view)
                view.kf.setImage(
                    with: Stand.url(index % 50),
                    options: stand.options + [.transition(.fade(0.05)), .forceTransition, .decodesToViewSize]
                ) { [weak self, weak view] _ in
                    self?.ends[index] += 1
                    if view == nil { self?.callsAfterDeath += 1 }
                }
            }
            try #require(await window.present(grid))
            let views = grid.subviews.compactMap { $0 as? ImageView }
            if closingEarly {
                #expect(await GTK.wait { views.contains { $0.runningTransition != nil } })
            } else {
                #expect(await GTK.wait { self.ends[first...].allSatisfy { $0 == 1 } })
            }
            window.close()
            #expect(await GTK.wait { self.ends[first...].allSatisfy { $0 == 1 } })
        }

        @Test func reusedAHundredTimesWithAHundredLoadsInFlight() async throws {
            stand.transport.hold()
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            ends = Array(repeating: 0, count: 100)
            var shown: [Int] = []
            for index in 0..<100 {
                let task = view.kf.setImage(with: Stand.url(index), options: stand.options) { result in
                    self.ends[index] += 1
                    if case .success = result { shown.append(index) }
                }
                // In flight, not merely asked for.
                #expect(await GTK.wait { task?.isInitialized == true })
            }
            #expect(ends.allSatisfy { $0 == 0 })
            stand.transport.release()
            #expect(await GTK.wait { self.ends.allSatisfy { $0 == 1 } })
            #expect(shown == [99] && view.image.flatMap(Stand.number) == 99)
            for _ in 0..<5 { await GTK.turn() }
            #expect(ends.allSatisfy { $0 == 1 })
        }

        @Test func viewsInMidFadeLetGoOnOtherThreads() async throws {
            let widgets = WidgetCount.alive
            for _ in 0..<10 {
                let window = TestWindow()
                let held = try await fadingViews(50, in: window)
                // The window keeps them, so they go on.
                await Self.release(Array(held[..<25]))
                #expect(WidgetCount.alive == widgets + 50)
                #expect(held[25...].allSatisfy { $0.takeUnretainedValue().runningTransition != nil })
                // Now the window lets go as well, while the other threads do.
                let isUnderWay = Atomic(false)
                async let released: Void = Self.release(Array(held[25...])) {
                    isUnderWay.store(true, ordering: .relaxed)
                }
                let deadline = ContinuousClock.now + .seconds(5)
                while !isUnderWay.load(ordering: .relaxed), ContinuousClock.now < deadline { sched_yield() }
                window.close()
                await released
                #expect(await GTK.wait { WidgetCount.alive == widgets })
            }
            #expect(WidgetCount.endsOffMainThread == 0)
        }

        /// Views in the middle of a fade, kept by `window` and by one reference each.
        private func fadingViews(
            _ count: Int, in window: TestWindow
        ) async throws -> [Unmanaged<CountedImageView>] {
            let grid = View()
            var views: [CountedImageView] = []
            for index in 0..<count {
                let view = CountedImageView()
                WidgetCount.watch(view)
                view.image = try .solid(Stand.color(index))
                grid.addSubview(view)
                views.append(view)
            }
            try #require(await window.present(grid))
            for view in views { view.transition(.fade(10)) { view.image = nil } }
            for _ in 0..<5 { await GTK.turn() }
            #expect(views.allSatisfy { $0.runningTransition != nil })
            return views.map { .passRetained($0) }
        }

        @concurrent private static func release(
            _ views: [Unmanaged<CountedImageView>], onFirst: @Sendable () -> Void = {}
        ) async {
            await withTaskGroup(of: Void.self) { group in
                for view in views { group.addTask { view.release() } }
                await group.next()
                onFirst()
            }
        }
    }
}

/// Counts the widgets of views, by GObject's own word for their end.
@MainActor enum WidgetCount {
    static var alive = 0
    static var endsOffMainThread = 0

    static func watch(_ view: View) {
        alive += 1
        g_object_weak_ref(
            UnsafeMutableRawPointer(view.widget).assumingMemoryBound(to: GObject.self),
            { _, _ in
                WidgetCount.alive -= 1
                if !cglib_main_hook_is_main_thread() { WidgetCount.endsOffMainThread += 1 }
            }, nil)
    }
}
