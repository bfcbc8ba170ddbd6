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
    /// Thousands of views are created, loaded, animated and destroyed. `KINGFISHER_SOAK=1` takes ten times as
    /// many.
    @Suite(.serialized) @MainActor final class LifetimeUnderLoad {
        private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil
        private let rig: LoadingRig
        private var ends: [Int]
        private var callsAfterDeinit = 0

        init() throws {
            rig = try LoadingRig()
            ends = []
        }

        @Test("Thousands of loading views release widgets, views and memory")
        func manyViews() async throws {
            let (batches, size) = (Self.isLong ? 200 : 20, 100)
            let (widgets, views) = (WidgetCount.alive, CountedImageView.alive)
            var settled = 0
            for batch in 0..<batches {
                try await showAndDestroy(size, closingEarly: batch % 2 == 1)
                if batch == batches / 4 { settled = ProcessStatus.residentBytes }
            }
            #expect(await GTK.wait { WidgetCount.alive == widgets && CountedImageView.alive == views })
            #expect(ends.count == batches * size && ends.allSatisfy { $0 == 1 })
            #expect(callsAfterDeinit == 0)
            let growth = ProcessStatus.residentBytes - settled
            let perView = growth / ((batches - batches / 4 - 1) * size)
            print("lifetime: \(batches * size) views, \(perView) bytes per view after the first quarter")
            // Address Sanitizer holds freed memory in quarantine.
            #expect(perView < 2 << 10 || ProcessStatus.isSanitized)
        }

        /// Shows `count` views that load and fade, and destroys them after the fade or during it.
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
                    with: LoadingRig.url(index % 50),
                    options: rig.options + [.transition(.fade(0.05)), .forceTransition, .decodesToViewSize]
                ) { [weak self, weak view] _ in
                    self?.ends[index] += 1
                    if view == nil { self?.callsAfterDeinit += 1 }
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

        @Test("After a hundred concurrent loads a view shows the last image")
        func reusedView() async throws {
            rig.transport.hold()
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            ends = Array(repeating: 0, count: 100)
            var shown: [Int] = []
            for index in 0..<100 {
                let task = view.kf.setImage(with: LoadingRig.url(index), options: rig.options) { result in
                    self.ends[index] += 1
                    if case .success = result { shown.append(index) }
                }
                // The transfer has started.
                #expect(await GTK.wait { task?.isInitialized == true })
            }
            #expect(ends.allSatisfy { $0 == 0 })
            rig.transport.release()
            #expect(await GTK.wait { self.ends.allSatisfy { $0 == 1 } })
            #expect(shown == [99] && view.image.flatMap(LoadingRig.number) == 99)
            for _ in 0..<5 { await GTK.iterate() }
            #expect(ends.allSatisfy { $0 == 1 })
        }

        @Test("Fading views that other threads release are destroyed on the main thread")
        func releasedOnOtherThreads() async throws {
            let widgets = WidgetCount.alive
            for _ in 0..<10 {
                let window = TestWindow()
                let held = try await fadingViews(50, in: window)
                // The window still holds them, so they continue.
                await Self.release(Array(held[..<25]))
                #expect(WidgetCount.alive == widgets + 50)
                #expect(held[25...].allSatisfy { $0.takeUnretainedValue().runningTransition != nil })
                // The window and the other threads release them concurrently.
                let hasStarted = Atomic(false)
                async let released: Void = Self.release(Array(held[25...])) {
                    hasStarted.store(true, ordering: .relaxed)
                }
                let deadline = ContinuousClock.now + .seconds(5 * ProcessStatus.slowness)
                while !hasStarted.load(ordering: .relaxed), ContinuousClock.now < deadline { sched_yield() }
                window.close()
                await released
                #expect(await GTK.wait { WidgetCount.alive == widgets })
            }
            #expect(WidgetCount.destroyedOffMainThread == 0)
        }

        /// Views in the middle of a fade, held by `window` and by the returned references.
        private func fadingViews(
            _ count: Int, in window: TestWindow
        ) async throws -> [Unmanaged<CountedImageView>] {
            let grid = View()
            var views: [CountedImageView] = []
            for index in 0..<count {
                let view = CountedImageView()
                WidgetCount.watch(view)
                view.image = try .solid(LoadingRig.color(index))
                grid.addSubview(view)
                views.append(view)
            }
            try #require(await window.present(grid))
            for view in views { view.transition(.fade(10)) { view.image = nil } }
            for _ in 0..<5 { await GTK.iterate() }
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

/// Counts live widgets of views by weak references of GObject.
@MainActor enum WidgetCount {
    static var alive = 0
    static var destroyedOffMainThread = 0

    static func watch(_ view: View) {
        alive += 1
        g_object_weak_ref(
            UnsafeMutableRawPointer(view.widget).assumingMemoryBound(to: GObject.self),
            { _, _ in
                WidgetCount.alive -= 1
                if !cglib_main_hook_is_main_thread() { WidgetCount.destroyedOffMainThread += 1 }
            }, nil)
    }
}
