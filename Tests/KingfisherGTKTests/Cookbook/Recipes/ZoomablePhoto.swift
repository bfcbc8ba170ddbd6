import KingfisherGTK

@MainActor func zoomablePhoto(_ file: URL) -> View {
    let photo = ZoomableImageView()
    photo.alternativeText = file.lastPathComponent
    let percent = Label("")
    photo.onZoomChange = { percent.text = "\(Int(($0 * 100).rounded())) %" }
    photo.onFailure = { percent.text = $0.localizedDescription }
    let (smaller, larger) = (Button(title: "−"), Button(title: "+"))
    smaller.alternativeText = "Zoom out"
    smaller.onClick = { photo.zoomOut() }
    larger.alternativeText = "Zoom in"
    larger.onClick = { photo.zoomIn() }
    gtk_widget_set_vexpand(photo.widget, 1)
    photo.setImage(with: .provider(LocalFileImageDataProvider(fileURL: file)))
    return column(photo, column(smaller, percent, larger, isRow: true), spacing: 6)
}
