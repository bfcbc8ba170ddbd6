import CGtk
import KingfisherGTK

/// Opens a file chooser and prints the files that it returns, or "nothing", and the width of the first.
@MainActor enum FileChoice {
    static func report(
        _ mode: String, over window: UnsafeMutablePointer<GtkWindow>?,
        then quit: @escaping @MainActor () -> Void
    ) {
        var chooser = ImageFileChooser(title: "Open image")
        chooser.acceptLabel = "Use"
        chooser.folder = URL(filePath: "/tmp")
        let choice = Task { [chooser] in
            switch mode {
            case "one": await [chooser.open(from: window)].compactMap(\.self)
            case "folder": await [chooser.openFolder(from: window)].compactMap(\.self)
            default: await chooser.openMultiple(from: window)
            }
        }
        Task {
            if mode == "cancel-task" {
                try await Task.sleep(for: .milliseconds(100))
                choice.cancel()
            }
            let files = await choice.value
            if files.isEmpty { WindowProgram.report("nothing") }
            for file in files { WindowProgram.report(file.absoluteString) }
            if let file = files.first, mode != "folder" {
                let options: KingfisherOptionsInfo = [.cacheMemoryOnly]
                let result = try? await KingfisherManager.shared.retrieveImage(
                    with: .provider(LocalFileImageDataProvider(fileURL: file)), options: options)
                WindowProgram.report(result.map { "\($0.image.size.width)" } ?? "failed")
            }
            quit()
        }
    }
}
