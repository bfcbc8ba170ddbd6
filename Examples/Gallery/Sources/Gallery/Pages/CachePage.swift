import CAdwaita
import KingfisherGTK

@MainActor final class CachePage: GalleryPage {
    let title = "Cache"
    let subtitle = "Contents of the memory and disk cache"
    let icon = "drive-harddisk-symbolic"
    private(set) var widget: Widget
    private let cache = KingfisherManager.shared.cache
    private let memory = Figure("Memory")
    private let disk = Figure("Disk")
    private let files = Figure("Images")
    private let rows: [CacheRow]
    private let watch = Watch()
    private var hasAppeared = false

    init(server: PhotoServer) {
        rows = Photo.all.prefix(8).enumerated().map { index, photo in
            // Every fourth image expires soon, to demonstrate "Remove Expired".
            CacheRow(photo, at: server.url(of: photo, copy: "cache"), expiresSoon: index % 4 == 3)
        }
        let group = adw_preferences_group_new()!
        adw_preferences_group_set_title(group.cast(), "Images")
        adw_preferences_group_set_description(
            group.cast(), "Select a row to load its image.")
        for row in rows { adw_preferences_group_add(group.cast(), row.widget) }
        let content = Widget.column(spacing: 24).styled("page")
        widget = .scroller(content, maximumWidth: 760)
        let figures = Widget.row(spacing: 12, memory.widget, disk.widget, files.widget)
        gtk_box_set_homogeneous(figures.cast(), 1)
        for child in [figures, makeButtons(), group] { content.append(child) }
    }

    private func makeButtons() -> Widget {
        let buttons = Widget.row(
            spacing: 12,
            Widget.button("Clear Memory") { [cache] in cache.clearMemoryCache() }.styled("pill"),
            Widget.button("Clear Disk") { [cache] in cache.clearDiskCache() }.styled("pill"),
            Widget.button("Remove Expired") { [cache] in cache.cleanExpiredCache() }.styled("pill"))
        return buttons.aligned(GTK_ALIGN_CENTER)
    }

    var action: PageAction {
        PageAction(title: "Load All", icon: "view-refresh-symbolic") { [weak self] in self?.loadAll() }
    }

    func appear() {
        guard !hasAppeared else { return }
        hasAppeared = true
        loadAll()
        watch.start(while: widget, every: .milliseconds(250)) { [weak self] in await self?.refresh() }
    }

    private func loadAll() {
        for row in rows { row.load() }
    }

    private func refresh() async {
        var cached = 0
        for row in rows {
            let type = await cache.imageCachedTypeAsync(forKey: row.url.cacheKey)
            row.show(type)
            if type.cached { cached += 1 }
        }
        memory.show(ByteCount.text(UInt(cache.memoryStorageCacheCost)))
        if let size = try? await cache.diskStorageSize { disk.show(ByteCount.text(size)) }
        files.show("\(cached) of \(rows.count)")
    }

    var scenes: [Scene] {
        [
            Scene(name: "cache") { [self] in
                try await wait(for: "images") { rows.allSatisfy(\.isLoaded) }
                // The size is available only after pending writes have completed.
                _ = try await cache.diskStorageSize
                cache.memoryStorage.removeAll()
                for row in rows.prefix(3) { row.load() }
                try await wait(for: "images from disk") { rows.allSatisfy(\.isLoaded) }
                try await cache.removeImage(forKey: rows[6].url.cacheKey)
                await refresh()
            }
        ]
    }
}
